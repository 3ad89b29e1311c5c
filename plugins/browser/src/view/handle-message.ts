import type { LiveTab } from "./live-tab.ts";
import type { ViewerMessage } from "./view-messages.ts";
import type { Viewer } from "./viewers.ts";

/** Messages that say nothing about what the person does. */
const PASSIVE: ReadonlySet<ViewerMessage["type"]> = new Set([
  "size",
  "shown",
  "point",
  "pick",
] as const);

/** Handles a viewer's message. Never throws: what fails later is logged by the tab. */
export function handleMessage(
  live: LiveTab,
  viewer: Viewer,
  message: ViewerMessage,
): void {
  if (!PASSIVE.has(message.type)) {
    live.driver.noteUser();
    live.screencast.noteInput();
  }
  const { screencast, input, navigation } = live;
  switch (message.type) {
    case "size":
      return live.applySize();
    case "shown":
      return viewer.shown(message.frame);
    case "mouse":
      return screencast.runInput(() => input.mouse(message));
    case "touch":
      return screencast.runInput(() => input.touch(message));
    case "key":
      return screencast.runInput(() => input.key(message));
    case "text":
      return screencast.runInput(() => input.text(message.text));
    case "compose":
      return screencast.runInput(() => input.compose(message.text));
    case "back":
    case "forward":
      return live.attempt(navigation.step(message.type === "back" ? -1 : 1));
    case "reload":
      return navigation.reload();
    case "stop":
      return navigation.stop();
    case "zoom":
      return live.attempt(screencast.zoom(message.percent));
    case "dialog":
      return live.dialogs.answer(message.accept, message.text);
    case "files":
      return live.attempt(live.chooseFiles(message.ids));
    case "find":
      return live.attempt(
        live
          .find(message.text, message.backwards)
          .then((count) => viewer.port.send({ type: "find", count })),
      );
    case "point":
      return live.attempt(
        live.picker
          .point(message)
          .then((element) => viewer.port.send({ type: "pointed", element })),
      );
    case "pick":
      return live.attempt(
        live.picker
          .pick(message)
          .then((answer) => viewer.port.send({ type: "picked", ...answer })),
      );
    case "copy":
      return live.attempt(
        live.copy().then((text) => viewer.port.send({ type: "copied", text })),
      );
  }
}
