import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";
import type { PluginInfo, SessionInfo } from "../../app/shell/wire.ts";
import { createEventLog } from "./eventLog.ts";
import { createUtilities } from "./utilitiesSheet.ts";

/** A plugin as the stand-in serves it. */
export interface StandInPlugin {
  info: PluginInfo;
  /** Files of its UI by name; the entry is `index.mjs`. */
  files: Record<string, string>;
  /** Class names that its pages use. */
  candidates?: string[];
}

/** What a test may set and see. */
export interface StandInState {
  sessions: Map<string, SessionInfo>;
  /** Codes that pair, until they are used. */
  codes: Set<string>;
  mode: "all" | "loopback";
  plugins: Map<string, StandInPlugin>;
  /** Answers of a plugin's routes by `METHOD /path`. */
  answers: Map<
    string,
    (body: unknown) => { status?: number; body: unknown; delayMs?: number }
  >;
  /** Every request that came, as `METHOD /path`. */
  requests: string[];
}

const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Serves the built shell and the part of the daemon's API that the shell itself uses, with the daemon's policy. */
export async function startStandIn(
  shellDist: string,
  options: { port?: number } = {},
) {
  const state: StandInState = {
    sessions: new Map(),
    codes: new Set(),
    mode: "all",
    plugins: new Map(),
    answers: new Map(),
    requests: [],
  };
  const events = createEventLog();
  const toUtilities = createUtilities(shellDist);
  const html = await readFile(join(shellDist, "public/200.html"), "utf8");
  const policy = toPolicy(html);

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(error);
      problem(response, 500, "INTERNAL", "Something went wrong.", {
        requestId: "req_stand_in",
      });
    });
  });

  async function handle(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const url = new URL(request.url ?? "/", "http://gantry.localhost");
    const route = `${request.method} ${url.pathname}`;
    state.requests.push(route);
    response.setHeader("content-security-policy", policy);
    response.setHeader("x-content-type-options", "nosniff");
    if (url.pathname.startsWith("/api/") || route === "POST /pair")
      return handleApi(request, response, url, route);
    if (url.pathname === "/ui/utilities.css") {
      const more = [...state.plugins.values()].flatMap(
        ({ candidates }) => candidates ?? [],
      );
      return sendText(request, response, "text/css", await toUtilities(more));
    }
    const [, , plugin, , file] =
      /^(\/plugins\/)([^/]+)(\/ui\/)(.+)$/.exec(url.pathname) ?? [];
    if (plugin && file) {
      const text = state.plugins.get(plugin)?.files[file];
      if (text === undefined)
        return problem(response, 404, "NOT_FOUND", "There is no such file.");
      return sendText(
        request,
        response,
        types[extname(file)] ?? "text/plain",
        text,
      );
    }
    await handleFile(request, response, url.pathname);
  }

  async function handleFile(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> {
    const file = join(shellDist, "public", normalize(path));
    const gzip = await readFile(`${file}.gz`).catch(() => undefined);
    const plain = extname(path)
      ? await readFile(file).catch(() => undefined)
      : undefined;
    if (!plain) {
      if (extname(path))
        return problem(response, 404, "NOT_FOUND", "There is no such file.");
      return sendText(request, response, "text/html; charset=utf-8", html);
    }
    response.setHeader(
      "content-type",
      types[extname(path)] ?? "application/octet-stream",
    );
    response.setHeader(
      "cache-control",
      path.startsWith("/_nuxt/") ? "max-age=31536000, immutable" : "no-cache",
    );
    if (gzip) response.setHeader("content-encoding", "gzip");
    send(request, response, gzip ?? plain);
  }

  async function handleApi(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    route: string,
  ) {
    const body = await readBody(request);
    const cookie = /gantry_session=([^;]+)/.exec(
      request.headers.cookie ?? "",
    )?.[1];
    const current =
      cookie === undefined ? undefined : state.sessions.get(cookie);
    response.setHeader("cache-control", "no-store");
    if (route === "POST /pair")
      return pair(response, body as { code: string; device: string });
    if (!current)
      return problem(
        response,
        401,
        "AUTH_NOT_PAIRED",
        "This browser is not paired with this daemon.",
      );
    const planned = state.answers.get(route);
    if (planned) {
      const answer = planned(body);
      if (answer.delayMs)
        await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
      return json(response, answer.body, answer.status);
    }
    if (route === "GET /api/events") return events.open(response, url);
    if (route === "GET /api/auth/session")
      return json(response, {
        mode: state.mode,
        kind: "browser",
        session: current,
      });
    if (route === "GET /api/auth/sessions") {
      const items = [...state.sessions.values()].map((session) => ({
        ...session,
        current: session === current,
      }));
      return json(response, { items, nextCursor: null });
    }
    if (route === "POST /api/auth/logout") return end(response, current.id);
    if (
      request.method === "DELETE" &&
      url.pathname.startsWith("/api/auth/sessions/")
    ) {
      return end(response, url.pathname.split("/").at(-1) ?? "");
    }
    if (route === "PUT /api/auth/mode") {
      state.mode = (body as { mode: "all" | "loopback" }).mode;
      return json(response, { ok: true });
    }
    if (route === "POST /api/auth/pairings") return json(response, mint());
    if (route === "GET /api/plugins") {
      return json(response, {
        items: [...state.plugins.values()].map(({ info }) => info),
        nextCursor: null,
      });
    }
    if (route === "GET /api/system") return json(response, systemInfo());
    problem(response, 404, "NOT_FOUND", `There is no operation ${route}.`);
  }

  function mint() {
    const code = "K7QM-2XTA-9WPD";
    state.codes.add(code.replaceAll("-", ""));
    const cells = Array.from(
      { length: 29 * 29 },
      (_, at) => (createHash("md5").update(`${at}`).digest()[0] ?? 0) % 2,
    );
    const path = cells
      .map((on, at) => (on ? `M${at % 29} ${Math.floor(at / 29)}h1v1h-1z` : ""))
      .join("");
    return {
      id: "par_1",
      code,
      url: `${origin()}/pair#code=${"q".repeat(26)}`,
      qrSvg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 33 33"><path fill="#fff" d="M-2-2h33v33h-33z"/><path d="${path}"/></svg>`,
      expiresAt: new Date(Date.now() + 600_000).toISOString(),
    };
  }

  function pair(
    response: ServerResponse,
    body: { code: string; device: string },
  ): void {
    if (body.code === "TOOMANYTRIES") {
      response.setHeader("retry-after", "42");
      return problem(
        response,
        429,
        "PAIRING_TOO_MANY",
        "Too many tries. Wait before the next one.",
      );
    }
    if (!state.codes.delete(body.code)) {
      return problem(
        response,
        401,
        "PAIRING_REFUSED",
        "This code is wrong, used or expired; make a new one.",
      );
    }
    const { cookie, session } = addSession(body.device);
    response.setHeader(
      "set-cookie",
      `gantry_session=${cookie}; HttpOnly; SameSite=Strict; Path=/`,
    );
    json(response, { ok: true, session });
  }

  function end(response: ServerResponse, id: string): void {
    for (const [cookie, session] of state.sessions) {
      if (session.id === id) state.sessions.delete(cookie);
    }
    json(response, { ok: true });
    events.closeAll();
  }

  /** Pairs a browser without a code. */
  function addSession(device: string, more: Partial<SessionInfo> = {}) {
    const now = new Date().toISOString();
    const session: SessionInfo = {
      id: `ses_${state.sessions.size + 1}`,
      kind: "browser",
      device,
      address: "127.0.0.1",
      createdAt: now,
      lastSeenAt: now,
      expiresAt: new Date(Date.now() + 30 * 86_400_000).toISOString(),
      current: false,
      online: true,
      ...more,
    };
    const cookie = randomUUID();
    state.sessions.set(cookie, session);
    return { cookie, session };
  }

  const origin = () =>
    `http://gantry.localhost:${(server.address() as AddressInfo).port}`;
  const systemInfo = () => ({
    name: "Gantry",
    version: "0.1.0",
    node: process.version,
    platform: "linux x64",
    home: "/home/ada/.gantry",
    startedAt: new Date(Date.now() - 7_500_000).toISOString(),
    url: origin(),
    canonicalHost: new URL(origin()).host,
  });

  await new Promise<void>((resolve) =>
    server.listen(options.port ?? 0, "127.0.0.1", resolve),
  );
  return {
    state,
    events,
    addSession,
    get origin() {
      return origin();
    },
    get port() {
      return (server.address() as AddressInfo).port;
    },
    async close() {
      events.closeAll();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A running stand-in. */
export type StandIn = Awaited<ReturnType<typeof startStandIn>>;

function toPolicy(html: string): string {
  const scripts = [
    ...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g),
  ].map(([, text]) => text ?? "");
  const hashes = scripts.map(
    (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "frame-src blob:",
    "connect-src 'self'",
    "worker-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types vue gantry-sandboxed-page",
  ].join("; ");
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0
    ? {}
    : (JSON.parse(Buffer.concat(chunks).toString()) as unknown);
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): void {
  const etag = `"${createHash("sha1").update(body).digest("base64url")}"`;
  response.setHeader("etag", etag);
  if (request.headers["if-none-match"] === etag) {
    response.statusCode = 304;
    response.removeHeader("content-encoding");
    return void response.end();
  }
  response.end(body);
}

function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  type: string,
  text: string,
): void {
  response.setHeader("content-type", type);
  response.setHeader("cache-control", "no-cache");
  response.setHeader("content-encoding", "gzip");
  send(request, response, gzipSync(text));
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.statusCode = status;
  response.setHeader(
    "content-type",
    status < 400 ? "application/json" : "application/problem+json",
  );
  response.end(JSON.stringify(body));
}

function problem(
  response: ServerResponse,
  status: number,
  code: string,
  detail: string,
  more: object = {},
): void {
  json(
    response,
    { type: "about:blank", title: code, status, detail, code, ...more },
    status,
  );
}
