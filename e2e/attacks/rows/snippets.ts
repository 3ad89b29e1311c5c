import { accepted, refused } from "../runner/row.ts";
import type { Row, Trial } from "../runner/row.ts";
import type { World } from "../world/world.ts";
import { paired, postJson } from "./requests.ts";

/** Bodies of which something is broken. */
const BROKEN_BODIES: Readonly<Record<string, string>> = {
  "never closed": "{{",
  "never closed, often": "{{a=".repeat(25_000),
  "never closed, line by line": "{{a\n".repeat(25_000),
  "100 KB without a closer": `{{a=${"x".repeat(99_000)}`,
  "one in another": "{{a={{b}}}}",
  "no name": "{{}}",
  spaces: "{{ a }}",
  "a reserved name with a default": "{{cwd=/etc}}",
  "a NUL": "{{a\u0000b}}",
  "right to left": "{{\u202ea}}",
  "a look-alike": "{{\u0430}}",
  "a name of 10 KB": `{{${"x".repeat(10_240)}}}`,
  "33 names": Array.from({ length: 33 }, (_, n) => `{{n${n}}}`).join(""),
  "10,001 names": Array.from({ length: 10_001 }, (_, n) => `{{${toName(n)}}}`)
    .join("")
    .slice(0, 100_000),
};

/** Words that every object has a member of: names like any other. */
const MEMBER_NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
];

/** Bodies that are larger than any may be. */
const LARGE_BODIES: Readonly<Record<string, string>> = {
  "{{ 50,000 times and one more": "{{".repeat(50_001),
  "{{{{ 50,000 times": "{{{{".repeat(50_000),
  "{{a= 50,000 times": "{{a=".repeat(50_000),
  "a MB without a closer": `{{a=${"x".repeat(1_000_000)}`,
};

const NO_SLUGS: Readonly<Record<string, string>> = {
  "a composed letter": "caf\u00e9",
  "a decomposed letter": "cafe\u0301",
  "the Turkish İ": "\u0130stanbul",
  "zero width": "re\u200bview",
  "a Cyrillic look-alike": "r\u0435view",
  "right to left": "\u202ereview",
  "a path": "a/b",
  "a path, escaped": "a%2fb",
  "another path": "..\\..\\x",
  "a NUL": "a\u0000",
  "a line": "a\r\nx: y",
  "a space": "re view",
  "65 characters": "x".repeat(65),
};

/** Names of two letters as long as there are any. */
function toName(number: number): string {
  return `_${number.toString(36)}`;
}

/** As what is created, and as what is changed of one that is there. */
function* saving(
  world: World,
  name: string,
  fields: object,
  code: string | string[],
): Generator<Trial> {
  yield {
    name: `${name}, new`,
    send: postJson(world, "/api/snips", { body: "x", ...fields }),
    expect: refused(400, code),
  };
  yield {
    name: `${name}, changed`,
    send: postJson(
      world,
      `/api/snips/${world.victims.snippetId}`,
      fields,
      "PATCH",
    ),
    expect: refused(400, code),
  };
}

/** Values of a snippet whose placeholders are `what`, one of two words, and `branch`. */
const WRONG_VALUES: readonly [values: unknown, code: string][] = [
  [{ what: "all" }, "SNIPPET_ENUM"],
  [{ what: "CODE" }, "SNIPPET_ENUM"],
  [{ what: "code\u0000" }, "SNIPPET_ENUM"],
  [{ what: "code", more: "x" }, "SNIPPET_VALUE_UNKNOWN"],
  [{ what: "code", toString: "x" }, "SNIPPET_VALUE_UNKNOWN"],
  [{ what: "code", branch: "x" }, "SNIPPET_VALUE_RESERVED"],
  [{ what: "code", [`x`.repeat(10_000)]: "x" }, "SNIPPET_VALUE_UNKNOWN"],
  [{ what: ["code"] }, "INPUT_INVALID"],
  [{ what: null }, "INPUT_INVALID"],
  [["code"], "INPUT_INVALID"],
  ["code", "INPUT_INVALID"],
];

export const snippets: readonly Row[] = [
  {
    id: "A126",
    title: "placeholders that are none, never end, or are too many",
    everyChange: true,
    *trials(world) {
      for (const [name, body] of Object.entries(BROKEN_BODIES)) {
        yield* saving(world, name, { body }, "SNIPPET_BODY_INVALID");
        yield {
          name: `${name}, checked`,
          send: postJson(world, "/api/snips/check", { body }),
          expect: accepted(),
        };
      }
      for (const name of MEMBER_NAMES)
        yield {
          name: `{{${name}}}, which is one`,
          send: postJson(world, "/api/snips/check", { body: `{{${name}}}` }),
          expect: accepted(),
        };
      for (const [name, body] of Object.entries(LARGE_BODIES)) {
        const code = ["INPUT_INVALID", "BODY_TOO_LARGE"];
        yield* saving(world, name, { body }, code);
        yield {
          name: `${name}, checked`,
          send: postJson(world, "/api/snips/check", { body }),
          expect: refused([400, 413], code),
        };
      }
    },
  },
  {
    id: "A128",
    title: "values that are not allowed, missing, or of nothing",
    *trials(world) {
      const { snippetId, agentId } = world.victims;
      const target = { type: "agent", id: agentId };
      for (const [values, code] of WRONG_VALUES)
        for (const [path, body] of [
          ["expand", { values }],
          ["run", { values, target }],
        ] as const)
          yield {
            name: `${path} with ${JSON.stringify(values).slice(0, 60)}`,
            send: postJson(world, `/api/snips/${snippetId}/${path}`, body),
            expect: refused(400, code),
          };
      for (const values of [undefined, {}, { what: "" }])
        yield {
          name: `run with ${JSON.stringify(values)}`,
          send: postJson(world, `/api/snips/${snippetId}/run`, {
            values,
            target,
          }),
          expect: refused(400, "SNIPPET_VALUE_MISSING"),
        };
      for (const name of MEMBER_NAMES)
        yield {
          name: `a value for ${name}`,
          send: postJson(
            world,
            `/api/snips/${snippetId}/run`,
            `{"target":${JSON.stringify(target)},"values":{"what":"code","${name}":"x"}}`,
          ),
          expect: refused(400, "SNIPPET_VALUE_UNKNOWN"),
        };
    },
  },
  {
    id: "A128b",
    title: "targets that are none, and snippets that do not go there",
    *trials(world) {
      const { snippetId, commandId, agentId, automationId } = world.victims;
      const values = { what: "code" };
      const run = (id: string, body: object) =>
        postJson(world, `/api/snips/${id}/run`, body);
      for (const id of ["x", "../x", "", automationId, agentId.toUpperCase()])
        yield {
          name: `the agent ${JSON.stringify(id)}`,
          send: run(snippetId, { values, target: { type: "agent", id } }),
          expect: refused(404, "SNIPPET_TARGET_NOT_FOUND"),
        };
      yield {
        name: "another type",
        send: run(snippetId, { values, target: { type: "file", id: "/x" } }),
        expect: refused(400, "INPUT_INVALID"),
      };
      yield {
        name: "a command for an agent",
        send: run(commandId, { target: { type: "agent", id: agentId } }),
        expect: refused(409, "SNIPPET_KIND"),
      };
    },
  },
  {
    id: "A129",
    title: "confirmations that are missing, old, or of something else",
    provedBy: [
      [
        "plugins/snippets/test/terminals.test.ts",
        "a command stops at a confirmation that names the terminal and shows the text",
      ],
      [
        "plugins/snippets/test/terminals.test.ts",
        "a confirmation holds for nothing else, and for no longer",
      ],
      [
        "plugins/snippets/test/terminals.test.ts",
        "of many that use one confirmation at once, one sends",
      ],
      [
        "plugins/snippets/test/terminals.test.ts",
        "what hides in a text is shown",
      ],
    ],
  },
  {
    id: "A130",
    title: "slugs that are none, in every spelling",
    *trials(world) {
      const code = "SNIPPET_SLUG_INVALID";
      for (const [name, slug] of Object.entries(NO_SLUGS)) {
        yield* saving(world, name, { slug }, code);
        yield {
          name: `${name}, checked`,
          send: {
            method: "GET",
            target: `/api/snips/slug/${encodeURIComponent(slug)}`,
            headers: paired(world),
            body: "",
          },
          // A path with an encoded slash or dot is refused before a route is chosen.
          expect: refused([400, 404]),
        };
      }
      for (const slug of ["", "..", "."])
        yield* saving(world, JSON.stringify(slug), { slug }, code);
      yield {
        name: "the slug of another, spelled otherwise",
        send: postJson(world, "/api/snips", { body: "x", slug: "Ｖictim" }),
        expect: refused(409, "SNIPPET_SLUG_TAKEN"),
      };
    },
  },
];
