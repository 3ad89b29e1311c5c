import { noBareFetch } from "../src/rules/no-bare-fetch.ts";
import { testRule } from "./rule-tester.ts";

const FILE = "plugins/notes/src/notes.ts";

testRule("no-bare-fetch", noBareFetch, {
  valid: [
    [FILE, "const answer = await ctx.fetch(url);"],
    [FILE, "export const load = (fetch: Fetch) => fetch(url);"],
    [FILE, "type Fetch = typeof fetch; type Other = typeof globalThis.fetch;"],
    [FILE, "interface Client { fetch(url: string): Promise<Response> }"],
    [FILE, 'import { createServer } from "node:http"; createServer();'],
    [
      FILE,
      'import http from "node:http"; http.createServer(); http.STATUS_CODES;',
    ],
    [
      FILE,
      'import type { RequestOptions } from "node:http"; import type { Dispatcher } from "undici";',
    ],
    [FILE, "const store = { get: 1 }; store.get;"],
  ],
  invalid: [
    [FILE, "const answer = await fetch(url);", /with fetch\./],
    [FILE, "const load = fetch;", /with fetch\./],
    [FILE, "globalThis.fetch(url);", /with fetch\./],
    [FILE, 'window["fetch"](url);', /with fetch\./],
    [FILE, "new XMLHttpRequest();", /XMLHttpRequest/],
    [FILE, 'import { fetch } from "undici"; fetch(url);', /with undici/],
    [FILE, 'import { ofetch } from "ofetch";', /with ofetch/],
    [FILE, 'const { ofetch } = await import("ofetch");', /with ofetch/],
    [FILE, 'import { request } from "node:https";', /request of node:https/],
    [
      FILE,
      'import http from "node:http"; http.request(url); http.get(url);',
      /request of node:http/,
      /get of node:http/,
    ],
    [FILE, 'import * as https from "https"; https.get(url);', /get of https/],
    [
      "plugins/notes/ui/Note.vue",
      '<script setup lang="ts">await fetch("/api/notes");</script>',
      /API client/,
    ],
  ],
});
