import type { Row } from "../runner/row.ts";

/** What is proved elsewhere, and what waits for what is not there yet. */
export const outgoing: readonly Row[] = [
  {
    id: "A113",
    title:
      "private, local and metadata addresses, in every spelling and behind every name",
    provedBy: [
      [
        "kernel/system/test/outbound/outbound-fetch.test.ts",
        "an address of metadata is refused in every spelling",
      ],
      [
        "kernel/system/test/outbound/outbound-fetch.test.ts",
        "where private networks are not to be called, no name leads there",
      ],
      [
        "kernel/system/test/outbound/outbound-fetch.test.ts",
        "the daemon never calls itself, under whatever name or address",
      ],
    ],
  },
  {
    id: "A114",
    title: "a name that leads elsewhere when it is called",
    provedBy: [
      [
        "kernel/system/test/outbound/outbound-fetch.test.ts",
        "a name is as good as every address that it has",
      ],
    ],
  },
  {
    id: "A116",
    title: "answers without end",
    provedBy: [
      [
        "kernel/system/test/outbound/outbound-fetch.test.ts",
        "of an endless answer 64 KiB are read, and the connection ends",
      ],
      [
        "kernel/system/test/outbound/outbound-fetch.test.ts",
        "a redirect is an answer, and is not followed",
      ],
      [
        "kernel/system/test/outbound/outbound-fetch.test.ts",
        "a server that %s is given up after 10 s",
      ],
      [
        "plugins/automations/test/notify-targets.test.ts",
        "a notification whose target %s is tried twice, 5 s apart, and is an event",
      ],
      [
        "plugins/automations/test/notify.test.ts",
        "is not held up by others, and holds no run up",
      ],
    ],
  },
];

export const agents: readonly Row[] = [
  {
    id: "A133",
    title: "prompts, models and sessions that look like flags",
    provedBy: [
      [
        "plugins/agents/test/drivers/pi.test.ts",
        "it is started with flags alone, and exactly these",
      ],
      [
        "plugins/agents/test/routes/prompts.test.ts",
        "what looks like flags is only text",
      ],
    ],
  },
  {
    id: "A136",
    title: "output that forges ends, costs and sessions",
    provedBy: [
      [
        "plugins/agents/test/drivers/rough-suite.ts",
        "a line of 100 MB costs neither memory nor the turn",
      ],
      [
        "plugins/agents/test/drivers/rough-suite.ts",
        "garbage on its output is passed over",
      ],
      [
        "plugins/agents/test/live/money.test.ts",
        "whatever a CLI reports, spending is an amount or unknown",
      ],
      [
        "plugins/agents/test/runs/agent-runs.test.ts",
        "of %s with %s is no success",
      ],
      [
        "plugins/agents/test/runs/agent-runs.test.ts",
        "hears nothing that is said of another session",
      ],
    ],
  },
];

export const later: readonly Row[] = [
  {
    id: "A138",
    title: "writing with a link that is shared for reading",
    waitsFor: "links that are shared",
    // A conversation is shared as a gist, which is not on the daemon.
    isDue: (routes) =>
      routes.some(({ path }) => /^\/api\/shares?(\/|$)/.test(path)),
  },
];
