import { definePlugin } from "@gantry/plugin";
import { createLiveFeed } from "./live-feed.ts";
import { createFollowRoute } from "./routes/follow-route.ts";
import { createLogRoute } from "./routes/log-route.ts";

export default definePlugin({
  id: "events",
  api: 1,
  summary: "The events of all plugins, as a stream and as a list",
  mounts: ["/api/events"],
  setup({ daemon, eventLog, ...ctx }) {
    const live = createLiveFeed(eventLog);
    ctx.route(createFollowRoute({ eventLog, live, bootId: daemon.bootId }));
    ctx.route(createLogRoute(eventLog));
  },
});
