/** Options of {@link toFlags}. */
export interface FlagOptions {
  profileFolder: string;
  proxyPort: number;
  hasSandbox: boolean;
}

/** Features of Chromium that send requests of their own or bypass the proxy. */
const DISABLED_FEATURES = [
  "Translate",
  "OptimizationHints",
  "MediaRouter",
  "DialMediaRouteProvider",
  "AutofillServerCommunication",
  "CertificateTransparencyComponentUpdater",
  "NetworkPrediction",
  "WebTransport",
];

/** Features that draw parts of the window, which is never shown, with pages of their own: a quarter of the time of a start. */
const UNSEEN_FEATURES = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];

const FIXED_FLAGS = [
  "--headless=new",
  "--remote-debugging-pipe",
  // Without it Chromium does not report its own flags, which the start checks.
  "--enable-automation",
  "--no-first-run",
  "--no-default-browser-check",
  "--no-startup-window",
  "--disable-sync",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-domain-reliability",
  "--disable-breakpad",
  "--disable-crash-reporter",
  "--metrics-recording-only",
  "--no-pings",
  "--password-store=basic",
  "--use-mock-keychain",
  "--mute-audio",
  "--disable-extensions",
  "--disable-quic",
  // Some builds put frames of other sites into the process of their page.
  "--site-per-process",
  // WebRTC sends UDP past the proxy unless it is limited to UDP through a proxy, which ours does not offer.
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  `--disable-features=${[...DISABLED_FEATURES, ...UNSEEN_FEATURES].join()}`,
];

/** Command line of a Chromium that is controlled over a pipe and reaches the network only through the proxy. */
export function toFlags(options: FlagOptions): string[] {
  return [
    ...FIXED_FLAGS,
    `--user-data-dir=${options.profileFolder}`,
    `--proxy-server=socks5://127.0.0.1:${options.proxyPort}`,
    // Without `<-loopback>`, requests to this machine, Gantry included, bypass the proxy.
    "--proxy-bypass-list=<-loopback>",
    ...(options.hasSandbox ? [] : ["--no-sandbox"]),
  ];
}

/** Flags that would disable part of the sandbox or the proxy, and that a wrapper script of the system might add. */
const FORBIDDEN = [
  "remote-debugging-port",
  "remote-debugging-address",
  "remote-debugging-io-pipes",
  "disable-web-security",
  "allow-file-access-from-files",
  "ignore-certificate-errors",
  "disable-site-isolation-trials",
  "no-proxy-server",
  "proxy-auto-detect",
  "proxy-pac-url",
  "host-resolver-rules",
  "disable-setuid-sandbox",
  "disable-seccomp-filter-sandbox",
  "no-zygote-sandbox",
];

/** Flags that must have exactly the given value. */
const REQUIRED = [
  "remote-debugging-pipe",
  "user-data-dir",
  "proxy-server",
  "proxy-bypass-list",
  "webrtc-ip-handling-policy",
  "force-webrtc-ip-handling-policy",
  "disable-quic",
  "disable-extensions",
  "site-per-process",
];

/**
 * Compares the actual command line of Chromium with the requested one. System-wide wrapper scripts and flag files may
 * add to it, and the last of equal flags applies.
 *
 * @returns `null` if it is safe, else a description of what is wrong
 */
export function checkFlags(
  actual: readonly string[],
  given: readonly string[],
): string | null {
  const real = toValues(actual);
  const wanted = toValues(given);
  for (const name of REQUIRED)
    if (real.get(name) !== wanted.get(name))
      return `it runs with ${describeFlag(name, real)} in place of ${describeFlag(name, wanted)}`;
  for (const name of FORBIDDEN)
    if (real.has(name)) return `it runs with ${describeFlag(name, real)}`;
  if (real.has("no-sandbox") && !wanted.has("no-sandbox"))
    return "it runs with --no-sandbox";
  return null;
}

function toValues(flags: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const flag of flags) {
    const [, name, value = ""] = /^--([^=]+)(?:=(.*))?$/s.exec(flag) ?? [];
    if (name !== undefined) values.set(name, value);
  }
  return values;
}

function describeFlag(name: string, values: Map<string, string>): string {
  const value = values.get(name);
  if (value === undefined) return `no --${name}`;
  return value === "" ? `--${name}` : `--${name}=${value}`;
}
