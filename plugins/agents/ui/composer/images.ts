/** Media types of images that the daemon accepts. */
export const IMAGE_TYPES: readonly string[] = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
];
export const MAX_IMAGES = 4;
export const MAX_IMAGE_BYTES = 4 * 1024 * 1024;

/** Chooses the files that can be attached to a message; `problem` says what is wrong with the first other one. */
export function pickImages<
  Candidate extends { type: string; size: number; name: string },
>(
  files: readonly Candidate[],
  present: number,
): { taken: Candidate[]; problem: string | undefined } {
  const problems: string[] = [];
  const taken: Candidate[] = [];
  for (const file of files) {
    const name = file.name || "The image";
    if (!IMAGE_TYPES.includes(file.type))
      problems.push("Only PNG, JPEG, GIF and WebP images can be attached.");
    else if (file.size > MAX_IMAGE_BYTES)
      problems.push(`${name} is larger than 4 MB.`);
    else if (present + taken.length >= MAX_IMAGES)
      problems.push(`A message can have up to ${MAX_IMAGES} images.`);
    else taken.push(file);
  }
  return { taken, problem: problems[0] };
}

/** Encodes the content of a file in base64. */
export function toBase64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const address = String(reader.result);
      resolve(address.slice(address.indexOf(",") + 1));
    };
    reader.onerror = () =>
      reject(reader.error ?? new Error("The file could not be read."));
    reader.readAsDataURL(file);
  });
}
