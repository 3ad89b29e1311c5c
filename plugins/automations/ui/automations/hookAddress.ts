/** An address under which a webhook can be called. */
export interface HookAddress {
  label: string;
  address: string;
  /** Parts of it are to be filled in. */
  isPattern: boolean;
}

/** Where a page comes from. */
interface PageOrigin {
  protocol: string;
  hostname: string;
  port: string;
  origin: string;
}

/**
 * The addresses of a webhook. The daemon's own host name means nothing to most other tools, so on this machine they are
 * given its number. Tools elsewhere call a public name: the one that the configuration has, or that the page comes from. A
 * gateway hands calls on by names of its own.
 */
export function hookAddresses(
  automationId: string,
  { protocol, hostname, port, origin }: PageOrigin,
  publicUrl: string | null = null,
): HookAddress[] {
  const isLocal = /(^|\.)localhost$|^127\.|^\[::1\]$/.test(hostname);
  const base = isLocal
    ? `${protocol}//127.0.0.1${port ? `:${port}` : ""}`
    : origin;
  return [
    {
      label: isLocal ? "On this machine" : "From anywhere",
      address: `${base}/api/automations/${automationId}/fire`,
      isPattern: false,
    },
    ...(isLocal
      ? [
          {
            label: "Under a public name",
            address: `${publicUrl ?? "https://<public_host>"}/api/automations/${automationId}/fire`,
            isPattern: publicUrl === null,
          },
        ]
      : []),
    {
      label: "Behind a gateway",
      address: `https://<gateway_host>/-/hook/<user_name>/${automationId}`,
      isPattern: true,
    },
  ];
}
