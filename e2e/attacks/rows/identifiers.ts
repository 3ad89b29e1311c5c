import { cases } from "@gantry/build/testing";
import { refused } from "../runner/row.ts";
import type { Row } from "../runner/row.ts";
import type { Route } from "../world/routes.ts";
import { idOfNobody, jsonBody, nameOf, paired } from "./requests.ts";

/** What is no id, and ids of what is something else. */
const ODD_IDS = [
  "x",
  "..",
  "../x",
  "..%2fx",
  "..%5cx",
  "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
  "%00",
  "agt_%00aaaaaaaaaaaaaaaaaaaaaaa",
  "__proto__",
  "constructor",
  "a:b",
  "agents:agent:x",
  ".git",
  "*",
  "%25",
  "undefined",
  "null",
  "0",
  "-1",
  "x".repeat(5_000),
  ...["agt", "aut", "inb", "ses", "run", "tsk", "wsp", "sch", "snp"].map(
    idOfNobody,
  ),
];

const fill = (path: string, id: string) => path.replaceAll(/\{\w+\}/g, id);

/** Whether an address with `..` in it is simply another way to write that of an operation. */
function isOperation(
  routes: readonly Route[],
  method: string,
  target: string,
): boolean {
  const { pathname } = new URL(target, "http://gantry.localhost");
  const path = pathname.replace(/\/$/, "");
  return routes.some((one) => one.method === method && one.path === path);
}

/** Operations with ids in their address, but for those that mean them in their own way. */
const withIds = (routes: readonly Route[]) =>
  routes.filter(
    ({ path }) =>
      path.includes("{") &&
      !path.includes("{slug}") &&
      !path.startsWith("/api/target/"),
  );

export const identifiers: readonly Row[] = [
  {
    id: "A132",
    title:
      "ids that are none, or of something else, in every address that takes one",
    everyChange: true,
    *trials(world) {
      const foreign = [
        world.victims.agentId.toUpperCase(),
        `${world.victims.agentId}%20`,
        `${world.victims.agentId}x`,
      ];
      for (const route of withIds(world.routes))
        for (const id of cases([...foreign, ...ODD_IDS], 6)) {
          const body = route.takes === "json" && route.method !== "GET";
          const target = fill(route.path, id);
          if (isOperation(world.routes, route.method, target)) continue;
          yield {
            name: `${nameOf(route)} with ${id.slice(0, 60)}`,
            send: {
              method: route.method,
              target,
              headers: paired(world, ...(body ? jsonBody("{}") : [])),
              body: body ? "{}" : "",
            },
            // A body that does not fit may be told first, a path may lead to what is another operation, and it may be long.
            expect: refused(
              route.access === "self"
                ? [400, 401, 404, 429]
                : [400, 404, 405, 414],
            ),
          };
        }
    },
  },
  {
    id: "A132b",
    title: "an id of another kind that is really there",
    *trials(world) {
      const { agentId, automationId } = world.victims;
      for (const route of withIds(world.routes)) {
        if (route.access === "self" || route.path.includes("{taskId}"))
          continue;
        const isOfAgent =
          route.path.startsWith("/api/agents/") ||
          route.path.includes("{agentId}");
        const id = isOfAgent ? automationId : agentId;
        const body = route.takes === "json" && route.method !== "GET";
        yield {
          name: nameOf(route),
          send: {
            method: route.method,
            target: fill(route.path, id),
            headers: paired(world, ...(body ? jsonBody("{}") : [])),
            body: body ? "{}" : "",
          },
          expect: refused(404),
        };
      }
    },
  },
];
