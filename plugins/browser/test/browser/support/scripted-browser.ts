import { definePlugin, defineRoute } from "@gantry/plugin";
import type {
  PluginContext,
  PluginDefinition,
  RouteDefinition,
  SocketPeer,
} from "@gantry/plugin";
import * as z from "zod";
import type { AnnotationDraft } from "../../../src/annotate/draft.ts";
import type { BrowserStatus } from "../../../src/chromium/status.ts";
import type { Visit } from "../../../src/records/schemas.ts";
import type { Question } from "../../../src/tools/question.ts";
import type { Tab } from "../../../src/view/tab.ts";
import type {
  ViewMessage,
  ViewerMessage,
} from "../../../src/view/view-messages.ts";
import { errors } from "../../../src/errors.ts";

/** The daemon's state that the pages request. */
export interface BrowserScript {
  status: BrowserStatus;
  tabs: Tab[];
  history: Pick<Visit, "id" | "url" | "title">[];
  questions: Partial<Question>[];
  servers: object[];
  policies: object[];
  annotations: AnnotationDraft[];
  agents: { id: string; name: string; state: "open" | "closed" }[];
}

/** A browser scripted by the test, for states that are hard to reach with a real one. */
export interface ScriptedBrowser {
  readonly plugin: PluginDefinition;
  readonly agents: PluginDefinition;
  readonly script: BrowserScript;
  /** Requests that change something, in order. */
  readonly calls: { path: string; body: unknown }[];
  /** Messages from viewers, without frame acknowledgements. */
  readonly received: ViewerMessage[];
  /** Sends to all viewers of all tabs. */
  send(message: ViewMessage): void;
  /** The picture that new viewers receive. */
  picture: Uint8Array;
  reset(): void;
}

export const emptyScript = (): BrowserScript => ({
  status: {
    found: true,
    command: "/usr/bin/chromium",
    version: "156.0.8078.73",
    sandbox: "on",
    hint: null,
    running: [],
  },
  tabs: [],
  history: [],
  questions: [],
  servers: [],
  policies: [],
  annotations: [],
  agents: [],
});

export const toTab = (fields: Partial<Tab> & { id: string }): Tab => ({
  url: "http://localhost:5173/",
  title: "Storefront",
  loading: false,
  canGoBack: true,
  canGoForward: false,
  ownerAgentId: null,
  dialog: null,
  error: null,
  ...fields,
});

const usual = {
  summary: "Does what the test says",
  access: "session",
  errors: Object.keys(errors.definitions),
} as const;
const anyBody = z.looseObject({});
const text = z.string().optional();
const given = z.unknown();
const anyInput = z.strictObject(
  Object.fromEntries(
    [
      "url title selector text comment html styles box screenshot",
      "agentId ids answer tier sites ownServers",
    ]
      .flatMap((names) => names.split(" "))
      .map((name) => [name, given.optional()]),
  ),
);
const anyQuery = z.strictObject({ limit: text, q: text, agentId: text });

export function createScriptedBrowser(): ScriptedBrowser {
  const script = emptyScript();
  const calls: ScriptedBrowser["calls"] = [];
  const received: ViewerMessage[] = [];
  const peers = new Set<SocketPeer>();
  const contexts: PluginContext[] = [];

  const list = (path: string, read: () => object[]): RouteDefinition =>
    defineRoute({
      ...usual,
      method: "GET",
      path,
      query: anyQuery,
      returns: anyBody,
      handle: () => ({ items: read(), nextCursor: null }),
    });
  const act = (
    method: "POST" | "PUT" | "DELETE",
    path: string,
    handle: (body: Record<string, unknown>, id: string) => object | void,
  ): RouteDefinition =>
    defineRoute({
      ...usual,
      method,
      path,
      params: path.includes("{")
        ? {
            [path.includes("{id}") ? "id" : "agentId"]: {
              pattern: /^\w+$/,
              missing: () => errors.BROWSER_GONE(),
            },
          }
        : {},
      ...(method !== "DELETE" && { body: anyInput }),
      returns: anyBody,
      handle({ body, params }) {
        const { id = "", agentId = "" } = params as Record<string, string>;
        calls.push({ path: `${method} ${path}`, body });
        return { ok: true, ...handle(body, id || agentId) };
      },
    });

  const browser: ScriptedBrowser = {
    script,
    calls,
    received,
    picture: new Uint8Array(),
    send(message) {
      for (const peer of peers) peer.send(JSON.stringify(message));
    },
    reset() {
      Object.assign(script, emptyScript());
      calls.length = 0;
      received.length = 0;
    },
    agents: definePlugin({
      id: "agents",
      api: 1,
      summary: "Does what the test says",
      mounts: ["/api/agents"],
      errors,
      setup: (ctx) => void ctx.route(list("/api/agents", () => script.agents)),
    }),
    plugin: definePlugin({
      id: "browser",
      api: 1,
      summary: "Does what the test says",
      mounts: ["/api/browser"],
      errors,
      setup(ctx) {
        contexts.push(ctx as PluginContext);
        for (const route of routes()) ctx.route(route);
        ctx.socket({
          path: "/api/browser/tabs/{id}/view",
          summary: "Does what the test says",
          access: "session",
          open(peer) {
            peers.add(peer);
            const tab = script.tabs.find(({ id }) => id === peer.params.id);
            if (tab) peer.send(JSON.stringify({ type: "tab", tab }));
          },
          message(peer, data) {
            const message = JSON.parse(String(data)) as ViewerMessage;
            if (message.type === "shown") return;
            received.push(message);
            if (message.type === "size") show(peer, message);
          },
          close: (peer) => void peers.delete(peer),
        });
      },
    }),
  };
  function show(
    peer: SocketPeer,
    { width, height }: { width: number; height: number },
  ): void {
    const frame = { type: "frame", frame: 1, format: "jpeg", still: false };
    peer.send(JSON.stringify({ ...frame, width, height }));
    peer.send(browser.picture);
  }
  function routes(): RouteDefinition[] {
    return [
      defineRoute({
        ...usual,
        method: "GET",
        path: "/api/browser/status",
        returns: anyBody,
        handle: () => ({ ...script.status }),
      }),
      list("/api/browser/tabs", () => script.tabs),
      list("/api/browser/history", () => script.history),
      list("/api/browser/questions", () => script.questions),
      list("/api/browser/servers", () => script.servers),
      list("/api/browser/policies", () => script.policies),
      act("POST", "/api/browser/tabs", ({ url }) => {
        const tab = toTab({ id: `tab${script.tabs.length}`, url: String(url) });
        script.tabs = [...script.tabs, tab];
        return tab;
      }),
      act("DELETE", "/api/browser/tabs/{id}", (_, id) => {
        script.tabs = script.tabs.filter((tab) => tab.id !== id);
      }),
      act("POST", "/api/browser/tabs/{id}/lend", () => {}),
      act("PUT", "/api/browser/policies/{agentId}", (body, agentId) => {
        script.policies = [{ agentId, ...body }];
      }),
      act("POST", "/api/browser/questions/{id}", (_, id) => {
        script.questions = script.questions.filter((one) => one.id !== id);
      }),
      act("POST", "/api/browser/annotations", (body) => {
        script.annotations.push(body as unknown as AnnotationDraft);
        return { id: `ann${script.annotations.length}` };
      }),
      act("POST", "/api/browser/annotations/send", () => {}),
      act("DELETE", "/api/browser/annotations/{id}", () => {}),
    ];
  }
  return browser;
}
