import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { appBadge } from "../action.ts";
import type { Badges } from "../calls/badges.ts";
import { MAX_ORDER } from "../order.ts";
import type { AppOrder } from "../order.ts";

const listedApp = z.object({
  id: z.string(),
  name: z.string(),
  icon: z.string(),
  summary: z.string(),
  /** The plugin that it belongs to. */
  plugin: z.string(),
  badge: appBadge.nullable(),
});
const order = z.object({ ids: z.array(z.string()) });
const newOrder = z.strictObject({
  ids: z.array(z.string().max(200)).max(MAX_ORDER),
});

/** Dependencies of {@link createListRoutes}. */
export interface ListHost {
  order: AppOrder;
  badges: Badges;
}

/** Lists the apps, and changes their order. */
export function createListRoutes(host: ListHost): RouteDefinition[] {
  const idsInOrder = async () => {
    const apps = await host.order.list();
    return { ids: apps.map(({ id }) => id) };
  };
  return [
    defineRoute({
      method: "GET",
      path: "/api/apps",
      summary: "The apps",
      description:
        "In the user's order; apps that it does not name come behind, by name. A badge that does not come within a second is `null`.",
      access: "session",
      returns: z.object({
        apiVersion: z.literal(1),
        items: z.array(listedApp),
      }),
      async handle() {
        const apps = await host.order.list();
        const badges = await Promise.all(
          apps.map((app) => host.badges.of(app)),
        );
        const items = apps.map(({ id, name, icon, summary, owner }, index) => {
          const badge = badges[index] ?? null;
          return { id, name, icon, summary, plugin: owner.plugin, badge };
        });
        return { apiVersion: 1 as const, items };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/api/apps/order",
      summary: "The order of the apps",
      description: "Ids of all apps that are there.",
      access: "session",
      returns: order,
      handle: idsInOrder,
    }),
    defineRoute({
      method: "PUT",
      path: "/api/apps/order",
      summary: "Change the order of the apps",
      description:
        "Apps that are not named come behind, by name. An app that is not there now, because its plugin is stopped, keeps its place.",
      access: "session",
      body: newOrder,
      returns: order,
      errors: ["APP_ORDER_UNKNOWN"],
      async handle({ body }) {
        await host.order.change(body.ids);
        return await idsInOrder();
      },
    }),
  ];
}
