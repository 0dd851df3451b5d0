// Cannot be loaded.
import "a-package-that-nobody-has";

export const handler = async () => "never";
