import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { timestamp } from "@gantry/plugin/zod";
import { renderSVG } from "uqr";
import * as z from "zod";
import type { HostPolicy } from "@gantry/http/host-policy";
import { requireCaller, withSession } from "./auth-host.ts";
import type { AuthHost } from "./auth-host.ts";
import type { NewCode } from "./pairing.ts";
import { SessionView, toView } from "./session-view.ts";

/** Link of a pairing code; the secret stands in the fragment, which no server and no log ever sees. */
export function pairingUrl(policy: HostPolicy, code: NewCode): string {
  return `${policy.publicOrigin}/pair#code=${code.linkSecret}`;
}

/** The operation that makes a code. */
export function createPairingRoute({
  pairing,
  policy,
  audit,
}: AuthHost): RouteDefinition {
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
      const code = pairing.create(by);
      await audit.record("pairing.minted", { code: code.id, by });
      const url = pairingUrl(policy, code);
      return {
        id: code.id,
        code: code.code,
        url,
        qrSvg: renderSVG(url),
        expiresAt: code.expiresAt,
      };
    },
  });
}

/** The operation that a browser pairs with. It is public: the code is the credential. */
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
      await host.audit.record("pairing.used", { session: session.id, device });
      const answer = {
        ok: true as const,
        session: toView(
          session,
          { sessionId: session.id, kind: "browser" },
          new Set(),
        ),
      };
      return withSession(host, header, answer, token);
    },
  });
}
