// The page of a tournament, whose entries, games and standings follow its stream.

import { followPart } from "./page-stream.js";
import { showLocalTimes } from "./site.js";

const main = document.querySelector("#main");

function showTournament(part, html) {
  window.Idiomorph.morph(part, html);
  showLocalTimes(main);
}

showLocalTimes(main);
followPart("tournament", main.dataset.page, showTournament);
