// The server writes times in UTC; the reader's own zone and habits are known here only. Of the
// languages that the browser speaks it is the one that the page is written in.
const language = document.documentElement.lang;
const spoken = navigator.languages.find((one) => one.split("-")[0] === language);
const full = new Intl.DateTimeFormat(spoken || language || undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

export function localiseTimes(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime()) || element.hasAttribute("data-day")) continue;
    const words = full.format(at);
    if (!element.hasAttribute("data-relative")) element.textContent = words;
    element.title = `${words} (${element.dateTime})`;
  }
}
