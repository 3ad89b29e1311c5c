import { defineRoute } from "@gantry/plugin";
import type { Clock } from "@gantry/plugin";
import { timestamp, timeZone } from "@gantry/plugin/zod";
import * as z from "zod";
import type { App } from "@gantry/http/app";
import type { HostPolicy } from "@gantry/http/host-policy";
import type { RouteOwner } from "@gantry/http/route-table";

/** What the daemon says of itself. */
export interface SystemHost {
  version: string;
  home: string;
  policy: HostPolicy;
  clock: Clock;
}

/** Adds what the about page shows. */
export function addSystemRoutes(
  app: App,
  owner: RouteOwner,
  { version, home, policy, clock }: SystemHost,
): void {
  const startedAt = clock.timestamp();
  const definition = defineRoute({
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
  app.table.addRoute({ definition, owner });
}

function readTimeZone(): string {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return timeZone.safeParse(own).data ?? "UTC";
}
