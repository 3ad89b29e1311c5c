/** Permissions that a page may request, by Chromium's names. */
export const PERMISSION_KINDS = [
  "geolocation",
  "notifications",
  "videoCapture",
  "audioCapture",
  "clipboardReadWrite",
] as const;
export type PermissionKind = (typeof PERMISSION_KINDS)[number];

/**
 * Script that runs before the page's own. It wraps the functions with which pages request permissions, and delays each
 * call until the user has answered. Headless Chromium denies all requests by default, so a page that bypasses the
 * wrapper is denied.
 *
 * @param names Names of two functions in the page: one of ours that it calls to ask, one that we call to continue.
 */
export function toPermissionScript(names: {
  ask: string;
  answer: string;
}): string {
  return `(() => {
  if (window !== window.top) return;
  const send = globalThis[${JSON.stringify(names.ask)}];
  delete globalThis[${JSON.stringify(names.ask)}];
  if (typeof send !== "function") return;
  const stringify = JSON.stringify;
  const waiting = new Map();
  let last = 0;
  const ask = (kinds) => new Promise((resolve) => {
    const id = String(++last);
    waiting.set(id, resolve);
    send(stringify({ id, kinds }));
  });
  Object.defineProperty(globalThis, ${JSON.stringify(names.answer)}, {
    value: (id) => { const resolve = waiting.get(id); waiting.delete(id); resolve?.(); },
  });
  const wrap = (owner, name, toKinds) => {
    const original = owner?.[name];
    if (typeof original !== "function") return;
    const wrapped = { [name](...values) {
      const call = () => Reflect.apply(original, this, values);
      return ask(toKinds(values)).then(call, call);
    } }[name];
    owner[name] = wrapped;
  };
  wrap(globalThis.Geolocation?.prototype, "getCurrentPosition", () => ["geolocation"]);
  const watch = globalThis.Geolocation?.prototype.watchPosition;
  if (watch) Geolocation.prototype.watchPosition = function watchPosition(...values) {
    ask(["geolocation"]);
    return Reflect.apply(watch, this, values);
  };
  wrap(globalThis.Notification, "requestPermission", () => ["notifications"]);
  wrap(globalThis.MediaDevices?.prototype, "getUserMedia", ([wanted]) =>
    [wanted?.video && "videoCapture", wanted?.audio && "audioCapture"].filter(Boolean));
  wrap(globalThis.Clipboard?.prototype, "readText", () => ["clipboardReadWrite"]);
  wrap(globalThis.Clipboard?.prototype, "read", () => ["clipboardReadWrite"]);
})()`;
}
