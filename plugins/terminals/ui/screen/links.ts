/** Opens a link that a program has written, if it leads to a page. */
export function openLink(event: MouseEvent, address: string): void {
  // A click alone may be meant for the program, or for the text.
  if (!event.ctrlKey && !event.metaKey) return;
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return;
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") return;
  window.open(url.href, "_blank", "noopener,noreferrer");
}
