/** What the daemon takes as a picture. */
export const pictureTypes: readonly string[] = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
];
export const mostPictures = 4;
export const largestPicture = 4 * 1024 * 1024;

/** Splits files into those that may go with a message, and what is wrong with the first of the others. */
export function pickPictures<
  Picture extends { type: string; size: number; name: string },
>(
  files: readonly Picture[],
  present: number,
): { taken: Picture[]; problem: string | undefined } {
  const problems: string[] = [];
  const taken: Picture[] = [];
  for (const file of files) {
    const name = file.name || "The picture";
    if (!pictureTypes.includes(file.type))
      problems.push(`${name} is no PNG, JPEG, GIF or WebP.`);
    else if (file.size > largestPicture)
      problems.push(`${name} is larger than 4 MB.`);
    else if (present + taken.length >= mostPictures)
      problems.push(`A message takes at most ${mostPictures} pictures.`);
    else taken.push(file);
  }
  return { taken, problem: problems[0] };
}

/** A file's content in base64. */
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
