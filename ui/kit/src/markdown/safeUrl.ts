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

/** The address if a picture of untrusted text may be fetched from there: our own origin, or the text itself. */
export function toSafeImage(
  source: string,
  origin: string,
): string | undefined {
  if (/^data:image\/(png|jpeg|gif|webp|avif|svg\+xml)[;,]/i.test(source))
    return source;
  try {
    const url = new URL(source, origin);
    // A picture from elsewhere would tell its server who reads this, and when.
    return url.origin === origin ? url.href : undefined;
  } catch {
    return undefined;
  }
}
