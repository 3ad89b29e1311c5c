import { definePlugin } from "@gantry/plugin";
import { MyThingAdded } from "./contract.ts";
import { errors } from "./errors.ts";
import { openMyThings } from "./my-things.ts";
import { createMyThing } from "./routes/create-my-thing.ts";
import { listMyThings } from "./routes/list-my-things.ts";

export default definePlugin({
  id: "my-plugin",
  api: 1,
  summary: "A list of my things",
  mounts: ["/api/my-plugin"],
  events: [MyThingAdded],
  errors,
  setup(ctx) {
    const myThings = openMyThings(ctx.store);
    ctx.route(listMyThings(myThings));
    ctx.route(createMyThing(myThings));
  },
});
