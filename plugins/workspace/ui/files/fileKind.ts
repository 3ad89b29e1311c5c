/** How a file is shown. */
export interface FileKind {
  view: "text" | "image" | "pdf" | "audio" | "video";
  /** What a text can also be shown as. */
  preview?: "markdown" | "html" | "image";
}

const views: Readonly<Record<string, FileKind["view"]>> = {
  avif: "image",
  bmp: "image",
  gif: "image",
  ico: "image",
  jpeg: "image",
  jpg: "image",
  png: "image",
  webp: "image",
  pdf: "pdf",
  aac: "audio",
  flac: "audio",
  m4a: "audio",
  mp3: "audio",
  oga: "audio",
  ogg: "audio",
  opus: "audio",
  wav: "audio",
  m4v: "video",
  mov: "video",
  mp4: "video",
  ogv: "video",
  webm: "video",
};

const previews: Readonly<Record<string, NonNullable<FileKind["preview"]>>> = {
  htm: "html",
  html: "html",
  md: "markdown",
  markdown: "markdown",
  svg: "image",
};

/** Tells by its name how a file is shown. */
export function fileKind(path: string): FileKind {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const preview = lookUp(previews, ending);
  return { view: lookUp(views, ending) ?? "text", ...(preview && { preview }) };
}

/** An ending can be the name of a member of every object. */
function lookUp<Kind>(
  kinds: Readonly<Record<string, Kind>>,
  ending: string,
): Kind | undefined {
  return Object.hasOwn(kinds, ending) ? kinds[ending] : undefined;
}

const icons: Readonly<Record<string, string>> = {
  image: "i-lucide-image",
  pdf: "i-lucide-file-text",
  audio: "i-lucide-file-audio",
  video: "i-lucide-file-video",
};

const code =
  /\.(c|cc|cpp|cs|css|go|h|hpp|html?|java|jsx?|json|kt|lua|mjs|php|py|rb|rs|s[ac]ss|sh|sql|swift|toml|tsx?|vue|xml|ya?ml)$/i;

/** Name of the icon of a file. */
export function fileIcon(path: string): string {
  const { view } = fileKind(path);
  return (
    icons[view] ?? (code.test(path) ? "i-lucide-file-code" : "i-lucide-file")
  );
}
