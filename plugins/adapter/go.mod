module github.com/lwtest/lwtest/plugins/adapter

go 1.21
