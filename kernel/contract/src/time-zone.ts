/**
 * Checks whether a text is the IANA name of a time zone that this machine knows. Offsets such as `+02:00` are refused, since they
 * do not follow daylight saving time.
 */
export function isTimeZone(text: string): boolean {
  if (text.length > 64 || !/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text))
    return false;
  try {
    return Boolean(new Intl.DateTimeFormat("en-US", { timeZone: text }));
  } catch {
    return false;
  }
}
