import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { timestamp } from "@gantry/plugin/zod";
import { renderSVG } from "uqr";
import * as z from "zod";
import type { HostPolicy } from "@gantry/http/host-policy";
import { requireCaller, withSessionCookie } from "./auth-host.ts";
import type { AuthHost } from "./auth-host.ts";
import type { NewCode } from "./pairing.ts";
import { SessionView, toSessionView } from "./session-view.ts";

/** Returns the link of a pairing code. The secret is in the fragment, which browsers send to no server. */
export function pairingUrl(policy: HostPolicy, code: NewCode): string {
  return `${policy.publicOrigin}/pair#code=${code.linkSecret}`;
}

/** Creates the operation that makes a pairing code. */
export function createPairingRoute(host: AuthHost): RouteDefinition {
  return defineRoute({
    method: "POST",
    path: "/api/auth/pairings",
    summary: "Make a code that pairs another device",
    access: "session",
    returns: z.object({
      id: z.string(),
      code: z.string(),
      url: z.string(),
      qrSvg: z.string(),
      expiresAt: timestamp,
    }),
    async handle({ caller }) {
      const by = requireCaller(caller).sessionId;
      const created = host.pairing.create(by);
      const { id, code, expiresAt } = created;
      await host.audit.record("pairing.minted", { code: id, by });
      const url = pairingUrl(host.policy, created);
      return { id, code, url, qrSvg: renderSVG(url), expiresAt };
    },
  });
}

/** Creates the operation with which a browser pairs. It is public, since the code is the credential. */
export function createPairRoute(host: AuthHost): RouteDefinition {
  return defineRoute({
    method: "POST",
    path: "/pair",
    summary: "Pair this browser with a code",
    access: "self",
    authorize: () => {},
    body: z.strictObject({
      code: z.string().max(256),
      device: z.string().trim().min(1).max(100),
    }),
    returns: z.object({ ok: z.literal(true), session: SessionView }),
    errors: ["PAIRING_REFUSED", "PAIRING_TOO_MANY"],
    async handle({ body, remoteAddress, header }) {
      const { device } = body;
      try {
        host.pairing.redeem(body.code, remoteAddress);
      } catch (error) {
        const { code } = error as { code?: string };
        host.audit.note("pairing.failed", { address: remoteAddress, code });
        throw error;
      }
      const { session, token } = await host.sessions.create(
        device,
        remoteAddress,
      );
      const { id } = session;
      await host.audit.record("pairing.used", { session: id, device });
      const caller = { sessionId: id, kind: "browser" as const };
      const view = toSessionView(session, caller, new Set());
      const answer = { ok: true as const, session: view };
      return withSessionCookie(answer, host, header, token);
    },
  });
}
