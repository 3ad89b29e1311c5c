import { defineRoute } from "@gantry/plugin";
import type { Clock, RouteDefinition } from "@gantry/plugin";
import { timestamp, timeZone } from "@gantry/plugin/zod";
import * as z from "zod";
import type { HostPolicy } from "@gantry/http/host-policy";

/** What the about page shows. */
export function createSystemRoute({
  version,
  home,
  policy,
  clock,
}: {
  version: string;
  home: string;
  policy: HostPolicy;
  clock: Clock;
}): RouteDefinition {
  const startedAt = clock.timestamp();
  return defineRoute({
    method: "GET",
    path: "/api/system",
    summary: "About this daemon",
    access: "session",
    returns: z.object({
      name: z.literal("Gantry"),
      version: z.string(),
      node: z.string(),
      platform: z.string(),
      home: z.string(),
      startedAt: timestamp,
      url: z.string(),
      /** Under which it is reached from outside; `null` if the configuration has none. */
      publicUrl: z.string().nullable(),
      canonicalHost: z.string(),
      /** IANA name of the daemon's own time zone; `UTC` if its system names none. */
      timeZone: z.string(),
    }),
    handle: () => ({
      name: "Gantry" as const,
      version,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      home,
      startedAt,
      url: policy.canonicalOrigin,
      publicUrl: policy.configuredOrigin ?? null,
      canonicalHost: policy.canonicalHost,
      timeZone: readTimeZone(),
    }),
  });
}

function readTimeZone(): string {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return timeZone.safeParse(own).data ?? "UTC";
}
