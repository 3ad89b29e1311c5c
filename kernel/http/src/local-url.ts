/** Addresses on which the loopback address is answered too. */
const INCLUDES_LOOPBACK: readonly string[] = ["127.0.0.1", "0.0.0.0", "::"];

/**
 * Where a program on this machine reaches the daemon, which may listen on one address alone.
 *
 * @param localOrigin On the loopback address.
 * @param addresses Those that the daemon listens on.
 */
export function toLocalUrl(
  localOrigin: string,
  addresses: readonly string[],
): string {
  const [first] = addresses;
  if (
    first === undefined ||
    addresses.some((address) => INCLUDES_LOOPBACK.includes(address))
  )
    return localOrigin;
  const url = new URL(localOrigin);
  url.hostname = first.includes(":") ? `[${first}]` : first;
  return url.origin;
}
