import { defineRoute } from "@gantry/plugin";
import { pageOf, pageQuery } from "@gantry/plugin/zod";
import { MyThing } from "../contract.ts";
import type { MyThings } from "../my-things.ts";

export const listMyThings = (myThings: MyThings) =>
  defineRoute({
    method: "GET",
    path: "/api/my-plugin",
    summary: "All my things, newest first",
    access: "session",
    query: pageQuery,
    returns: pageOf(MyThing),
    handle: ({ query }) => myThings.list(query),
  });
