// Which bodies a REST API takes and gives as bytes: those of its binary media types alone.

/** `header` is a Content-Type or Accept; of several types the first counts. */
export function isBinary(binaryTypes: readonly string[], header: string): boolean {
  const type = /^[^,;]*/.exec(header)![0].trim().toLowerCase();
  if (binaryTypes.includes("*/*")) return true;
  return type !== "" && binaryTypes.some((known) => known.toLowerCase() === type);
}
