"""Many games at once: workers that play named jobs, in processes of this machine or on a Ray cluster."""
