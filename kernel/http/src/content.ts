import { readFile } from "node:fs/promises";
import { HTTPResponse } from "h3";
import type { H3Event } from "h3";
import type {
  Caller,
  ContentAnswer,
  ContentDefinition,
  ContentRequest,
} from "@gantry/plugin";
import { resolveInside } from "@gantry/system/files/resolve-inside";
import { runInContext } from "@gantry/system/context/work-context";
import type { Content } from "./app.ts";
import { renderPolicy } from "./content-security-policy.ts";
import { errors } from "./errors.ts";
import type { HostPolicy } from "./host-policy.ts";
import type { Head } from "./request-head.ts";
import type { RouteOwner } from "./route-table.ts";
import { serveFrom, serveText } from "./static-folder.ts";

/** An HTML file, also in its compressed form. */
const HTML_FILE = /\.html?(?=(\.(br|gz))?$)/i;
const HTML_TYPE = /^text\/html\b/i;

/** Name of a Trusted Types policy. Any other text could end the directive and begin another one. */
const POLICY_NAME = /^[\w\-#=/@.%]+$/;

/** What content of plugins is answered with the help of. */
export interface ContentHost {
  policy: HostPolicy;
  /** The paired caller of a request. */
  authenticate(head: Head): Caller | undefined;
  /** The error for a path whose plugin is not active. */
  unavailableAt(path: string): Error | undefined;
}

/** Makes what the app serves from the content of a plugin. */
export function toContent(
  { policy, authenticate, unavailableAt }: ContentHost,
  definition: ContentDefinition,
  owner: RouteOwner,
): Content {
  const { path: pattern, access, trustedTypes = [] } = definition;
  const wrong = trustedTypes.find((name) => !POLICY_NAME.test(name));
  if (wrong !== undefined)
    throw new TypeError(
      `${pattern}: "${wrong}" is not the name of a Trusted Types policy.`,
    );

  function toRequest(event: H3Event, head: Head): ContentRequest {
    return {
      path: event.url.pathname,
      search: event.url.searchParams,
      header: (name) => head.header(name),
      get caller() {
        return authenticate(head);
      },
      canonicalOrigin: canonicalOriginFor(policy, head),
    };
  }

  /** Only a paired caller learns which plugins there are. */
  const missingAt = (path: string, head: Head) =>
    (authenticate(head) && unavailableAt(path)) ?? errors.ROUTE_NOT_FOUND();

  return {
    pattern,
    access,
    plugin: owner.plugin,
    async handle(event, head) {
      const { plugin, signal } = owner;
      const path = event.url.pathname;
      const context = { plugin, requestId: head.requestId };
      // A plugin that stops accepts no new request.
      if (signal.aborted) throw missingAt(path, head);
      const work = runInContext(context, async () =>
        definition.handle(toRequest(event, head)),
      );
      const answer = await owner.follow(work);
      const sent = answer && (await sendContent(event, answer, trustedTypes));
      if (sent === undefined) throw missingAt(path, head);
      return sent;
    },
  };
}

function canonicalOriginFor(
  policy: HostPolicy,
  head: Head,
): string | undefined {
  const host = head.header("host") ?? "";
  const isElsewhere =
    host.toLowerCase() !== policy.canonicalHost && policy.isLoopback(host);
  return isElsewhere ? policy.canonicalOrigin : undefined;
}

/** Sends an answer through h3; `undefined` if there is no such file. */
async function sendContent(
  event: H3Event,
  answer: ContentAnswer,
  trustedTypes: readonly string[],
): Promise<unknown> {
  if (answer.kind === "redirect") {
    const headers = { location: answer.location };
    return new HTTPResponse(null, { status: 302, headers });
  }
  const html = await htmlOf(answer);
  if (html !== undefined) {
    const contentPolicy = renderPolicy(html, trustedTypes);
    event.res.headers.set("content-security-policy", contentPolicy);
    event.res.headers.set("x-frame-options", "DENY");
  }
  return answer.kind === "file"
    ? serveFrom(answer.folder, answer.path, event, answer)
    : serveText(answer.text, answer.mediaType, event);
}

/** The markup of a page; `undefined` for what is none, and for a file that is not there. */
async function htmlOf(
  answer: Exclude<ContentAnswer, { kind: "redirect" }>,
): Promise<string | undefined> {
  if (answer.kind === "text")
    return HTML_TYPE.test(answer.mediaType) ? answer.text : undefined;
  const { folder, path } = answer;
  const match = HTML_FILE.exec(path);
  if (!match) return undefined;
  const page = path.slice(0, match.index + match[0].length);
  const file = await resolveInside(folder, page);
  return file && readFile(file, "utf8").catch(() => undefined);
}
