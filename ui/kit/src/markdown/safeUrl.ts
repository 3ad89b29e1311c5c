/** The address if a link of untrusted text may lead there: a web page or a mail address. */
export function toSafeLink(href: string): string | undefined {
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return undefined;
  }
  return ["http:", "https:", "mailto:"].includes(url.protocol)
    ? url.href
    : undefined;
}

/**
 * The source of a picture of untrusted text, if it stands in the text itself. One that had to be fetched would tell its
 * server who reads this and when, and from our own origin it would call the API in the reader's name.
 */
export function toSafeImage(source: string): string | undefined {
  return /^data:image\/(png|jpeg|gif|webp|avif|svg\+xml)[;,]/i.test(source)
    ? source
    : undefined;
}
