// The server writes times in UTC; the reader's own zone and habits are known here only.
const full = new Intl.DateTimeFormat(undefined, {
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
    if (Number.isNaN(at.getTime())) continue;
    const words = full.format(at);
    if (!element.hasAttribute("data-relative")) element.textContent = words;
    element.title = `${words} (${element.dateTime})`;
  }
}
