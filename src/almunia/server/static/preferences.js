// The preferences: how it sounds is heard before it is chosen.

import { sound } from "./sound.js";

const listen = document.querySelector("#listen");
listen.hidden = false;
listen.addEventListener("click", () => sound(document.querySelector('[name="sound"]:checked').value));
