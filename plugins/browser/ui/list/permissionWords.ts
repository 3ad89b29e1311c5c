/** Labels of permissions. */
const KINDS: Readonly<Record<string, string>> = {
  geolocation: "Location",
  notifications: "Notifications",
  camera: "Camera",
  videoCapture: "Camera",
  microphone: "Microphone",
  audioCapture: "Microphone",
  clipboardReadWrite: "Clipboard",
  "clipboard-read": "Read the clipboard",
  "clipboard-write": "Write the clipboard",
  midi: "MIDI devices",
};

/** The label of a permission, or its own name if it has none. */
export function toPermissionWords(kind: string): string {
  return Object.hasOwn(KINDS, kind) ? KINDS[kind]! : kind.replaceAll("-", " ");
}
