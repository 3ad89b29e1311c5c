const LOCAL = new Set(["127.0.0.1", "0.0.0.0", "::1", "::"]);

/** Whether `localhost` reaches what listens at an address. */
export function isLocalAddress(address: string): boolean {
  return LOCAL.has(address);
}
