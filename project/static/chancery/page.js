// What every page does: times in the reader's zone, and the countdown of the undo window.
import { localiseTimes } from "./times.js";
import { startCountdowns } from "./countdown.js";

localiseTimes(document);
startCountdowns(document);
