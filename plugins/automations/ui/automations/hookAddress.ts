/**
 * The address of a webhook. The daemon's own host name means nothing to most other tools, so on this machine they are
 * given its number.
 */
export function hookAddress(
  automationId: string,
  { protocol, hostname, port, origin }: Location,
): string {
  const base = /(^|\.)localhost$/.test(hostname)
    ? `${protocol}//127.0.0.1${port ? `:${port}` : ""}`
    : origin;
  return `${base}/api/automations/${automationId}/fire`;
}
