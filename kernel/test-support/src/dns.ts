import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { beforeAll, vi } from "vitest";

/**
 * Host names to which a test file assigns addresses; all others are resolved by the system. A name with several lists
 * uses the next one at each lookup, and then stays with the last.
 */
export function useFakeNames(): Map<string, string[][]> {
  const names = new Map<string, string[][]>();
  beforeAll(() => {
    const original = dns.lookup;
    const lookup = (
      host: string,
      options: dns.LookupAllOptions,
      callback: (fault: Error | null, found: dns.LookupAddress[]) => void,
    ) => {
      const lists = names.get(host);
      if (!lists) return original(host, options, callback);
      const addresses = (lists.length > 1 ? lists.shift() : lists[0]) ?? [];
      callback(
        null,
        addresses.map((address) => ({
          address,
          family: address.includes(":") ? 6 : 4,
        })),
      );
    };
    vi.spyOn(dns, "lookup").mockImplementation(lookup as typeof dns.lookup);
    syncBuiltinESMExports();
    return () => {
      vi.mocked(dns.lookup).mockRestore();
      syncBuiltinESMExports();
    };
  });
  return names;
}
