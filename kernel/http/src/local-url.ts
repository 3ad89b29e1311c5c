/** Addresses on which the loopback address is answered too. */
const INCLUDES_LOOPBACK: readonly string[] = ["127.0.0.1", "0.0.0.0", "::"];

/**
 * The URL of the daemon for programs on this machine. The daemon may listen on one address only.
 *
 * @param localOrigin The origin on the loopback address.
 * @param addresses The addresses that the daemon listens on.
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
