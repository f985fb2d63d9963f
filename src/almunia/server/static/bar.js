// The bar of a phone is low: buttons stand beside the tabs where they have room, and above the question otherwise.

export function fitBar(place) {
  place.classList.remove("above");
  place.classList.toggle("above", place.scrollWidth > place.clientWidth + 1);
}
