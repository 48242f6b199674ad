// What every page does: times in the reader's zone, keys, the countdown of the undo window, and
// parts that change by themselves.
import { localiseTimes } from "./times.js";
import { startKeys } from "./keys.js";
import { startCountdowns } from "./countdown.js";
import { startNotices } from "./notices.js";
import { startRefreshing } from "./refresh.js";
import { startQueue } from "./queue.js";
import { startBatch } from "./batch.js";
import { startBeside } from "./beside.js";
import { startPeeking } from "./peek.js";
import { startDeciding } from "./deciding.js";
import { startPreviews } from "./preview.js";
import { startGuarding } from "./unsaved.js";
import { startCopying } from "./copying.js";
import { startWatching } from "./watching.js";
import { tellTimeZone } from "./time_zone.js";
import { startReading } from "./reading.js";
import { startEditors } from "./editor.js";
import { startAhead, readAhead } from "./ahead.js";
import { startPalette } from "./palette.js";

// What belongs to the content of a page: begun anew where another content takes its place.
function startContent(root) {
  localiseTimes(root);
  startCountdowns(root);
  startRefreshing(root);
  startQueue(root);
  startBatch(root);
  startBeside(root);
  startPeeking(root);
  startPreviews(root);
  startWatching(root);
  startCopying(root);
  startEditors(root);
  readAhead();
}

startKeys();
startPalette();
startDeciding(document);
startGuarding(document);
tellTimeZone();
startNotices(document);
// On a narrow screen the places scroll: the one that is open is in sight.
document.querySelector(".places [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
startContent(document);
// Only then to the message of a thread that the address names.
startReading();
startAhead(startContent);
