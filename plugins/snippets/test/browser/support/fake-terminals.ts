import { definePlugin, defineRoute } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import {
  TerminalPanes,
  type TerminalPane,
} from "@gantry/plugin-terminals/contract";

/** Terminals that remember what they were given. */
export interface FakeTerminals {
  plugin: PluginDefinition;
  /** What was run or sent, in order. */
  readonly given: { id: string; text: string }[];
}

const panes: readonly TerminalPane[] = [
  {
    id: "trm_aaaaaaaaaaaaaaaaaaaaaaaa",
    name: "build",
    kind: "shell",
    cwd: "/home/ada/code/shop",
    cli: null,
    agent: null,
    atPrompt: true,
    incarnation: "1",
  },
];

/** A plugin in the place of the one that has terminals. */
export function createFakeTerminals(): FakeTerminals {
  const given: { id: string; text: string }[] = [];
  async function take({ id, text }: { id: string; text: string }) {
    given.push({ id, text });
  }
  return {
    given,
    plugin: definePlugin({
      id: "terminals",
      api: 1,
      summary: "Terminals that take everything",
      mounts: ["/api/terminals"],
      provides: [TerminalPanes],
      setup(ctx) {
        ctx.route(
          defineRoute({
            method: "GET",
            path: "/api/terminals",
            summary: "The terminals",
            access: "session",
            query: pageQuery,
            returns: pageOf(z.unknown()),
            handle: () => ({
              items: panes.map((pane) => ({ ...pane, state: "running" })),
              nextCursor: null,
            }),
          }),
        );
        ctx.provide(TerminalPanes, {
          list: async () => ({ items: [...panes] }),
          describe: async ({ id }) =>
            panes.find((pane) => pane.id === id) ?? null,
          prompt: take,
          run: take,
        });
      },
    }),
  };
}
