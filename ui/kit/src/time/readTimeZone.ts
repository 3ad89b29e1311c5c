/** Attribute of the document's root that holds the daemon's time zone, once it is known. */
const attribute = "data-daemon-time-zone";

/**
 * The time zone of this browser as an IANA name that the daemon takes. Browsers whose system has an odd setting name
 * zones that do not exist (`Etc/Unknown`, `GMT+3`), or none; then it is the daemon's zone, or UTC until that is known.
 */
export function readTimeZone(): string {
  return (
    provenTimeZone() ??
    document.documentElement.getAttribute(attribute) ??
    "UTC"
  );
}

/** The time zone that the browser names; `undefined` if that is not the IANA name of a zone. */
export function provenTimeZone(): string | undefined {
  // Typed as a string, but some browsers give none.
  const { timeZone }: { timeZone?: string } =
    new Intl.DateTimeFormat().resolvedOptions();
  return timeZone !== undefined && isTimeZone(timeZone) ? timeZone : undefined;
}

/** Sets the zone that stands in for one that the browser cannot name. For the shell. */
export function setDaemonTimeZone(timeZone: string): void {
  if (isTimeZone(timeZone))
    document.documentElement.setAttribute(attribute, timeZone);
}

/** As the daemon reads it: offsets such as `+02:00` are zones to `Intl`, but follow the clocks of no place. */
function isTimeZone(text: string): boolean {
  if (text.length > 64 || !/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text))
    return false;
  try {
    return Boolean(new Intl.DateTimeFormat("en-US", { timeZone: text }));
  } catch {
    return false;
  }
}
