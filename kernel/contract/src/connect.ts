/** A resolved address and the network that it belongs to. */
export interface ConnectAddress {
  /** In the system's notation, such as `192.0.2.1` or `2001:db8::1`. */
  readonly address: string;
  /** 4 for IPv4, 6 for IPv6. */
  readonly family: 4 | 6;
  /**
   * - `loopback`: any address of this machine
   * - `private`: a private network, or a range reserved for purposes other than public servers
   * - `public`: anything else
   *
   * An IPv6 address that embeds an IPv4 address is classified as that IPv4 address.
   */
  readonly kind: "public" | "private" | "loopback";
}

/** Target and limits of `ctx.connect`. */
export interface ConnectOptions {
  /** A host name or an address, with or without brackets. */
  host: string;
  /** 1 to 65535; `OUTBOUND_REFUSED` (400) for any other number. */
  port: number;
  /**
   * Decides whether the host may be connected to. Receives all addresses of the host, after the kernel's own check.
   *
   * @returns `null` to allow them; otherwise the reason for the refusal, as the end of a sentence.
   */
  judge?(addresses: readonly ConnectAddress[]): string | null;
  /** Cancels the attempt when it aborts before the connection is established. */
  signal?: AbortSignal;
}
