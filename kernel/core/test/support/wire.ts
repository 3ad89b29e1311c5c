import {
  bytes,
  defineErrors,
  defineRoute,
  eventStream,
  withHeaders,
} from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import * as z from "zod";
import type { GatedKernel } from "./gated-kernel.ts";
import { openRaw, renderRequest } from "./raw-http.ts";
import type { RawRequest } from "./raw-http.ts";

const errors = defineErrors({
  PROBE_BUSY: { status: 429, title: "Busy", detail: "{what} is busy." },
});

/** Adds an operation for each kind of answer that those of {@link GatedKernel} do not give. */
export function addAnswers(ctx: PluginContext): void {
  const common = {
    method: "GET",
    summary: "Made for a test",
    access: "session",
  } as const;
  ctx.route(
    defineRoute({
      ...common,
      path: "/api/probe/headers",
      returns: okAnswer,
      handle: () => withHeaders({ ok: true as const }, { "X-Own": "a, b" }),
    }),
  );
  ctx.route(
    defineRoute({
      ...common,
      path: "/api/probe/text",
      returns: "bytes",
      handle: () =>
        bytes("text/plain", "pl\u00e4in", { "Cache-Control": "private" }),
    }),
  );
  ctx.route(
    defineRoute({
      ...common,
      path: "/api/probe/part",
      returns: "bytes",
      handle: () =>
        bytes(
          "image/png",
          Uint8Array.of(65, 66),
          { "content-range": "bytes 1-2/9" },
          206,
        ),
    }),
  );
  ctx.route(
    defineRoute({
      ...common,
      path: "/api/probe/events",
      returns: "event-stream",
      handle: () =>
        eventStream((client) => {
          client.send({ id: "7", event: "change", data: { text: "a\nb" } });
          client.close();
        }),
    }),
  );
  ctx.route(
    defineRoute({
      ...common,
      path: "/api/probe/busy",
      returns: okAnswer,
      errors: ["PROBE_BUSY"],
      handle: () => {
        throw errors.PROBE_BUSY(
          { what: "It" },
          {
            retryAfter: 1.5,
            headers: { "x-own": "1" },
            members: { task: "tsk_1" },
          },
        );
      },
    }),
  );
  ctx.route(
    defineRoute({
      ...common,
      path: "/api/probe/fault",
      returns: okAnswer,
      handle: () => {
        throw new Error("on purpose");
      },
    }),
  );
  ctx.route(
    defineRoute({
      ...common,
      method: "POST",
      path: "/api/probe/once",
      idempotent: true,
      body: z.strictObject({ n: z.number() }),
      returns: okAnswer,
      handle: () => ({ ok: true as const }),
    }),
  );
}

/** A request, and whether a paired client sends it; headers are as in it, with nothing added. */
export interface WireRequest extends RawRequest {
  isPaired?: boolean;
  /** Host; the daemon's own name unless given, none at all for `null`. */
  host?: string | null;
  /** Bytes to send instead. */
  bytes?: string;
}

/** Sends a request and gives each byte of the answer, but for what differs from run to run. */
export async function recordAnswer(
  kernel: GatedKernel,
  {
    isPaired = false,
    host = kernel.host,
    bytes: data,
    ...request
  }: WireRequest,
): Promise<string> {
  const headers = [
    ...(host === null ? [] : [["Host", host] as const]),
    ...(isPaired ? [["Cookie", kernel.cookie] as const] : []),
    ...(request.headers ?? []),
  ];
  const connection = await openRaw(kernel.port);
  const chunks: Buffer[] = [];
  connection.socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  connection.write(data ?? renderRequest({ ...request, headers }));
  let answer = await connection.answer(request.method);
  while (answer.status === 100)
    answer = await connection.answer(request.method);
  const text = Buffer.concat(chunks).toString("utf8");
  // The first frames of a socket may have come with its head.
  const [head = ""] = text.split("\r\n\r\n", 1);
  return normalize(answer.status === 101 ? head : text, kernel);
}

/** The headers of every answer, left out of the snapshot where they are exactly these. */
const SECURITY_HEADERS = `x-content-type-options: nosniff
referrer-policy: no-referrer
cross-origin-resource-policy: same-origin
cross-origin-opener-policy: same-origin
permissions-policy: camera=(), microphone=(), geolocation=(), payment=(), usb=()
`;

function normalize(answer: string, { port }: GatedKernel): string {
  return answer
    .replaceAll("\r\n", "\n")
    .replaceAll(SECURITY_HEADERS, "<security headers>\n")
    .replace(/^(date: ).*$/im, "$1<date>")
    .replace(/^(etag: ).*$/im, "$1<etag>")
    .replaceAll(/req_[0-9a-z]+/g, "<request id>")
    .replaceAll(/(gantry_session=)[\w-]+/g, "$1<secret>")
    .replaceAll(/ses_\w+/g, "<session id>")
    .replaceAll(`:${port}`, ":<port>")
    .trimEnd();
}
