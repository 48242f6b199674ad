// What every page does: times in the reader's zone, the countdown of the undo window, and parts
// that change by themselves.
import { localiseTimes } from "./times.js";
import { startCountdowns } from "./countdown.js";
import { startRefreshing } from "./refresh.js";

localiseTimes(document);
startCountdowns(document);
startRefreshing(document);
