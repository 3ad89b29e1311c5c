/** An address for display, without its self-evident parts. */
export function toShortAddress(url: string): string {
  if (url === "" || url === "about:blank") return "";
  return url.replace(/^https?:\/\//, "").replace(/\/$/, "");
}
