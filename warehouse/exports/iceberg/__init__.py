"""Apache Iceberg tables of the bulk data, one snapshot per release: https://iceberg.apache.org/spec/."""
