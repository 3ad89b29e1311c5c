import { defineErrors, defineRoute, eventStream } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import * as z from "zod";
import type { TestKernelOptions } from "../../../testing/src/index.ts";
import { startProbe } from "./probe.ts";
import type { ProbedKernel } from "./probe.ts";
import { openRaw, renderRequest, sendRaw } from "./raw-http.ts";
import type { RawAnswer, RawConnection, RawRequest } from "./raw-http.ts";
import { createShell } from "./shell.ts";

const errors = defineErrors({
  PROBE_UNAUTHORIZED: {
    status: 401,
    title: "No",
    detail: "The secret is wrong.",
  },
  PROBE_MISSING: { status: 404, title: "None", detail: "There is no {id}." },
});

export const HOOK_HOST = "hooks.example.org";
export const HOOK_SECRET = "right";

/** A kernel with one operation of each kind, and raw sockets to reach it. */
export interface GatedKernel extends ProbedKernel {
  readonly port: number;
  /** `gantry.localhost` with the port. */
  readonly host: string;
  readonly origin: string;
  /** The cookie of a paired browser. */
  readonly cookie: string;
  /** How often any handler ran. */
  handled(): number;
  /** Sends a request with the right Host; further headers come on top. */
  send(request: RawRequest): Promise<RawAnswer>;
  /** As {@link send}, with the cookie of a paired browser. */
  sendPaired(request: RawRequest): Promise<RawAnswer>;
  /** Opens a connection and writes a request with the right Host and the cookie. */
  open(request: RawRequest): Promise<RawConnection>;
}

/** Starts it, with pages and further plugins. Use it with `await using`. */
export async function startGated(
  options: TestKernelOptions = {},
  beside: readonly PluginDefinition[] = [],
): Promise<GatedKernel> {
  let handled = 0;
  const kernel = await startProbe(
    {
      setup(ctx) {
        const done = () => {
          handled++;
          return { ok: true as const };
        };
        const common = {
          summary: "Made for a test",
          access: "session",
          returns: okAnswer,
        } as const;
        ctx.route(
          defineRoute({
            ...common,
            method: "GET",
            path: "/api/probe",
            handle: done,
          }),
        );
        ctx.route(
          defineRoute({
            ...common,
            method: "POST",
            path: "/api/probe",
            body: z.strictObject({
              text: z.string().optional(),
              more: z.looseObject({}).optional(),
            }),
            handle: done,
          }),
        );
        ctx.route(
          defineRoute({
            ...common,
            method: "DELETE",
            path: "/api/probe/{id}",
            params: { id: { prefix: "prb", missing: errors.PROBE_MISSING } },
            errors: ["PROBE_MISSING"],
            handle: done,
          }),
        );
        ctx.route(
          defineRoute({
            ...common,
            method: "PUT",
            path: "/api/probe/bytes",
            body: "bytes",
            maxBody: 1000,
            handle: done,
          }),
        );
        ctx.route(
          defineRoute({
            ...common,
            method: "GET",
            path: "/api/probe/stream",
            returns: "event-stream",
            handle: () => (done(), eventStream(() => {})),
          }),
        );
        ctx.route(
          defineRoute({
            ...common,
            method: "POST",
            path: "/api/probe/hook",
            access: "self",
            isWebhook: true,
            errors: ["PROBE_UNAUTHORIZED"],
            body: "bytes",
            maxBody: 1000,
            authorize(head) {
              if (head.header("authorization") !== `Bearer ${HOOK_SECRET}`)
                throw errors.PROBE_UNAUTHORIZED();
            },
            handle: done,
          }),
        );
        ctx.route(
          defineRoute({
            ...common,
            method: "POST",
            path: "/api/probe/self",
            access: "self",
            authorize: () => undefined,
            handle: done,
          }),
        );
        ctx.socket({
          path: "/api/probe/socket",
          summary: "Made for a test",
          access: "session",
        });
      },
    },
    {
      shell: await createShell(),
      beside,
      ...options,
      config: { hookHosts: [HOOK_HOST], ...options.config },
    },
  );
  const { port } = kernel.kernel;
  const host = `gantry.localhost:${port}`;
  const { cookie } = await kernel.pairAs("Raw");
  const withHost = (
    { headers = [], ...rest }: RawRequest,
    ...more: [string, string][]
  ) => ({
    ...rest,
    headers: [["host", host], ...more, ...headers] as const,
  });
  const own = {
    port,
    host,
    origin: `http://${host}`,
    cookie,
    handled: () => handled,
    send: (request: RawRequest) => sendRaw(port, withHost(request)),
    sendPaired: (request: RawRequest) =>
      sendRaw(port, withHost(request, ["cookie", cookie])),
    async open(request: RawRequest) {
      const connection = await openRaw(port);
      connection.write(renderRequest(withHost(request, ["cookie", cookie])));
      return connection;
    },
  };
  return Object.defineProperties(
    kernel,
    Object.getOwnPropertyDescriptors(own),
  ) as GatedKernel;
}

/** The code of a problem document. */
export function codeOf({ body }: RawAnswer): string | undefined {
  try {
    return (JSON.parse(body) as { code?: string }).code;
  } catch {
    return undefined;
  }
}
